# Files of man
dist_man_MANS += \
	man/laggard-protocol.7
