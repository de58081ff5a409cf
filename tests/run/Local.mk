# Files of tests/run
check_PROGRAMS += tests/lib/make-pki
tests_lib_make_pki_SOURCES = tests/lib/make-pki.c
tests_lib_make_pki_LDADD = $(NET_LIBS)
