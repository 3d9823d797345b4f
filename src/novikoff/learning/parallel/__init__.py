"""One epoch on several cores, with the bytes of one."""
