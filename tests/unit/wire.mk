# Unit tests: frames and connections
if HAVE_CMOCKA
check_PROGRAMS += tests/unit/test_wire tests/unit/test_net
TESTS += tests/unit/test_wire tests/unit/test_net
tests_unit_test_wire_SOURCES = tests/unit/test_wire.c
tests_unit_test_wire_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_wire_LDADD = $(WIRE_LIBS) $(CMOCKA_LIBS)
tests_unit_test_net_SOURCES = tests/unit/test_net.c
tests_unit_test_net_CFLAGS = $(UNIT_CFLAGS)
tests_unit_test_net_LDADD = $(NET_LIBS) $(CMOCKA_LIBS)
endif
