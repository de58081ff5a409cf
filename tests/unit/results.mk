# Unit tests: results
