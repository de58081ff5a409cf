# Files of netem
