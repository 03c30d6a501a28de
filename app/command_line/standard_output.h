#pragma once

namespace kernelscape {

/**
 * First of all in a program: from now on it is known whether what was printed to standard output arrived. A
 * standard descriptor that is closed is taken, so that no file of ours gets its number.
 */
void watch_standard_output();

/**
 * From now on standard output that can't be written is no reason to end: what is printed is dropped, and
 * that is told at the end. For what is more than its output, such as a session.
 */
void go_on_without_output();

/** The first failure to write to standard output, an errno; 0: there was none. EPIPE: its reader has gone. */
int standard_output_error();

/** Returns true if standard output could not be written, and that is a reason to end: printing throws then.
 */
bool standard_output_ended();

/**
 * Last of all: writes what is left, and says on standard error what did not arrive. A reader that has gone
 * has seen enough.
 * @param code the exit code so far @return the exit code: 1 where it would be 0 and the output is not whole
 */
int finish_standard_output(int code);

}  // namespace kernelscape
