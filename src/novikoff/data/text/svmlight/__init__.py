"""The svmlight format: label, then index:value pairs."""
