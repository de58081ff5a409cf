# Files of configs
