#pragma once

namespace kernelscape::base {

/**
 * Installs the terminate handler, which runs when an exception leaves main(), a thread or a destructor: it
 * writes "PROGRAM: error: PROGRAM ended by an internal error: WHAT" and the hint on standard error, flushes
 * standard output, and ends the process with exit code 1. Committed database transactions are kept, and a
 * session can be resumed, as after a kill.
 * @param program, hint must live as long as the process
 */
void install_last_handler(const char* program, const char* hint);

/**
 * Puts the handler back that was there before install_last_handler(), and does nothing without that: for a
 * process forked for foreign code, whose exceptions are no errors of this program.
 */
void remove_last_handler();

}  // namespace kernelscape::base
