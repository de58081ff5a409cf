# Unit tests: scenario
