# Completion for bash, found by the name of the command; the daemons' are the same file under other names
completiondir = $(datadir)/bash-completion/completions
dist_completion_DATA = tools/completion/laggard.bash
install-data-hook:
	cd $(DESTDIR)$(completiondir) && for name in laggard-ps laggard-worker; do \
		rm -f $$name.bash && ln -s laggard.bash $$name.bash || exit; done
uninstall-hook:
	cd $(DESTDIR)$(completiondir) && rm -f laggard-ps.bash laggard-worker.bash
