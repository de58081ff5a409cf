# Files of man
dist_man_MANS += \
	man/laggard-protocol.7
dist_man_MANS += \
	man/laggard-check.1 man/laggard-scenario.5
dist_man_MANS += \
	man/laggard-doctor.1 man/laggard-netem.8
dist_man_MANS += \
	man/laggard-ps.1 man/laggard-worker.1
dist_man_MANS += \
	man/laggard.1 man/laggard-run.1
dist_man_MANS += \
	man/laggard-report.1 man/laggard-results.5
