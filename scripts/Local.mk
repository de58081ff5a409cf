# Files of scripts: checks of the sources and the manuals; each is a test
SOURCE_CHECKS = \
	scripts/check-completion.sh \
	scripts/check-format.sh \
	scripts/check-headers.sh \
	scripts/check-layers.sh \
	scripts/check-manual-options.sh \
	scripts/check-readme.sh \
	scripts/check-shell.sh \
	scripts/check-text.sh
dist_check_SCRIPTS += $(SOURCE_CHECKS)
TESTS += $(SOURCE_CHECKS)
dist_check_SCRIPTS += scripts/check-manual.sh
EXTRA_DIST += docs .ci/run

# What check-headers.sh compiles with
AM_TESTS_ENVIRONMENT += \
	CC='$(CC)'; CHECK_CPPFLAGS='$(CPPFLAGS) $(EVENT_CFLAGS) $(OPENSSL_CFLAGS) $(GSL_CFLAGS) $(JANSSON_CFLAGS) $(ZLIB_CFLAGS) $(CMOCKA_CFLAGS)'; \
	export CC CHECK_CPPFLAGS;
