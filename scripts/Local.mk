# Files of scripts
