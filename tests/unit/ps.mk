# Unit tests: ps
