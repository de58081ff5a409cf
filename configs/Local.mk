# Scenarios to run and to learn from
configsdir = $(pkgdatadir)/configs
dist_configs_DATA = configs/clean.ini configs/demo.ini configs/paper-exponential.ini configs/paper-pareto.ini \
	configs/slow-uplink.ini
