/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The conversation between laggard-ps and whoever controls it (`laggard-ps --control FD`, a stream socket): a JSON object a line.
 * Times are CLOCK_MONOTONIC ns. Without a controller the PS goes on by itself.
 *
 * PS → controller
 *   {"event":"listening","port":P}
 *   {"event":"workers","connected":n,"of":M}                       whenever it changes
 *   {"event":"run-next","run":k,"strategy":S,"repeat":R}           then waits for {"do":"go"}
 *   {"event":"run-start","run":k,"strategy":S,"repeat":R,"t_ns":T}
 *   {"event":"round","run":k,"round":i,"t_ns":T,"error":e,"target":e*}  at most ten a second (target: absolute); every round with --every-round
 *   {"event":"run-end","run":k,"strategy":S,"repeat":R,"t_ns":T,"rounds":n,"reached":bool,"failed":null or "why"}
 *   {"event":"done","failed":n}                                     then exits
 * controller → PS
 *   {"do":"go"}     begin the next run (all M workers must be connected, else the PS waits for them up to its connect limit)
 *   {"do":"stop"}   end the run in hand, write what there is, exit 1 */
#ifndef LAGGARD_PS_CONTROL_H
#define LAGGARD_PS_CONTROL_H
#endif
