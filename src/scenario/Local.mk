noinst_LIBRARIES += src/scenario/libscenario.a
src_scenario_libscenario_a_SOURCES = \
	src/scenario/complain.c src/scenario/complain.h src/scenario/dump.c src/scenario/keys.c src/scenario/keys.h \
	src/scenario/ini.c src/scenario/ini.h src/scenario/link.c src/scenario/link.h \
	src/scenario/nearest.c src/scenario/nearest.h src/scenario/own.c src/scenario/own.h src/scenario/own_problem.c \
	src/scenario/place.c src/scenario/place.h src/scenario/read.c src/scenario/resolve.c src/scenario/resolve.h \
	src/scenario/resolve_nodes.c src/scenario/scenario.h src/scenario/settings.c src/scenario/settings.h \
	src/scenario/events.c src/scenario/events.h src/scenario/stored.c src/scenario/stored.h \
	src/scenario/table.c src/scenario/trace.c src/scenario/trace.h \
	src/scenario/units.c src/scenario/units.h
