"""What tests share: data, references that share no code with the package, processes, browsers."""
