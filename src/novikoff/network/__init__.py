"""What servers of this machine share: the addresses at which they listen."""
