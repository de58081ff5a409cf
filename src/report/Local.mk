# Files of src/report
noinst_LIBRARIES += src/report/libreport.a
src_report_libreport_a_SOURCES = \
	src/report/csv.c src/report/csv.h \
	src/report/folder.c src/report/folder.h \
	src/report/grid.c src/report/grid.h \
	src/report/plot.c src/report/plot.h \
	src/report/predict.c src/report/predict.h \
	src/report/report.c src/report/report.h \
	src/report/stats.c src/report/stats.h \
	src/report/text.c src/report/text.h \
	src/report/text_conditions.c \
	src/report/text_outcomes.c \
	src/report/text_timing.c \
	src/report/text_warnings.c \
	src/report/timing.c src/report/timing.h
