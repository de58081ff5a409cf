# Cases of `laggard check`: a folder each
check_PROGRAMS += tests/scenario/check_main
tests_scenario_check_main_SOURCES = tests/scenario/check_main.c tools/check_events.c tools/check_events.h \
	tools/cmd_check.c tools/command.h tools/options.c tools/options.h
tests_scenario_check_main_LDADD = $(BED_LIBS)
TESTS += tests/scenario/run.sh
EXTRA_DIST += tests/scenario/run.sh \
	tests/scenario/compute tests/scenario/compute-idle tests/scenario/data tests/scenario/duplicate-key \
	tests/scenario/file-is-a-folder tests/scenario/file-not-there tests/scenario/jitter-over-delay \
	tests/scenario/layers tests/scenario/many tests/scenario/minimal tests/scenario/missing-unit \
	tests/scenario/negative-rate tests/scenario/not-text tests/scenario/not-yet tests/scenario/out-of-range \
	tests/scenario/pause tests/scenario/pause-idle tests/scenario/problem tests/scenario/problem-idle \
	tests/scenario/redundancy-default-does-not-divide tests/scenario/redundancy-does-not-divide \
	tests/scenario/redundancy-too-large tests/scenario/samples-too-few tests/scenario/set tests/scenario/set-wrong \
	tests/scenario/strategy-list-with-hole tests/scenario/strategy-twice tests/scenario/syntax tests/scenario/timeline \
	tests/scenario/too-fine tests/scenario/trace-unsound tests/scenario/two-targets tests/scenario/unknown-key \
	tests/scenario/unknown-section tests/scenario/unknown-strategy tests/scenario/worker-not-there \
	tests/scenario/wrong-unit

# The key table against the manual
TESTS += scripts/check-manual.sh
