#pragma once

namespace kernelscape::command_line {

/**
 * Starts detecting failed writes to standard output; must be called first in a program. A closed standard
 * descriptor is reopened, so that no file of the program gets its number.
 */
void watch_standard_output();

/**
 * Makes the program continue if standard output cannot be written: the output is dropped, and the failure is
 * reported at the end. For work that matters more than its output, such as a session.
 */
void keep_going_without_output();

/** Returns the errno of the first failed write to standard output; 0: none; EPIPE: its reader has gone. */
int standard_output_error();

/**
 * Returns true if standard output could not be written, and the program should end for that: printing throws
 * then.
 */
bool standard_output_ended();

/**
 * Flushes standard output and reports failed writes on standard error; must be called last. A reader that
 * closed the pipe is no failure.
 * @param code the exit code so far
 * @return the exit code: 1 if it would be 0 and the output is incomplete
 */
int finish_standard_output(int code);

}  // namespace kernelscape::command_line
