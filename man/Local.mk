# Files of man
