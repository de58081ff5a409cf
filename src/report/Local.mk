# Files of src/report
