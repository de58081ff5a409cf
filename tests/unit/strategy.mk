# Unit tests: strategy
