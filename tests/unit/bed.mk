# Unit tests: bed
