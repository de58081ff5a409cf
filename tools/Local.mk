# Files of tools
