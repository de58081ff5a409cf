# Files of src/ps
noinst_HEADERS += \
	src/ps/control.h
