# Unit tests: core
