# Unit tests: wire
