# Files of src/net
