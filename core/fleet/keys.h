#pragma once

#include <string>
#include <string_view>

namespace kernelscape::fleet {

/**
 * The keys of a fleet in Redis. All of them have a common prefix, so that a line of an access control list
 * can allow exactly these keys.
 *
 *     kernelscape:build:VERSION:TOOLS    stream: kernels to build, one per tool chain
 *     kernelscape:run:VERSION:CLASS      stream: kernels to run, one per class of devices
 *     kernelscape:results:CONTROLLER     stream: the results of a controller's tasks
 *     kernelscape:controller:CONTROLLER  exists while the controller waits for results
 *     kernelscape:dead                   stream: tasks that were given up, with the reason
 *     kernelscape:blob:SHA256            bytes: a built artefact
 *     kernelscape:nonce:NONCE            the stream entry with which the nonce was seen
 *     kernelscape:room                   written to check whether Redis has free memory
 *     kernelscape:workers                set: the numbers of workers
 *     kernelscape:worker:WORKER          hash: identity and state of the worker
 *     kernelscape:reference:CLASS        seconds: time of the reference kernel on the class's first worker
 */
namespace keys {

inline constexpr std::string_view prefix = "kernelscape:";
inline constexpr const char* dead = "kernelscape:dead";
inline constexpr const char* workers = "kernelscape:workers";
/** The consumer group of all task streams. */
inline constexpr const char* group = "workers";

std::string build_stream(const std::string& tool_chain);  ///< tasks that build kernels with this tool chain
std::string run_stream(const std::string& device_class);  ///< tasks that run kernels on devices of this class
std::string results(const std::string& controller);       ///< results of the controller's tasks
std::string controller(const std::string& controller);    ///< exists while the controller waits for results
std::string blob(const std::string& sha256);              ///< bytes, named by their SHA-256
std::string nonce(const std::string& nonce);              ///< the stream entry with which the nonce was seen
std::string worker(const std::string& worker);            ///< identity and state of the worker
std::string reference(const std::string& device_class);   ///< time of the reference kernel on the first
                                                          ///< worker of the class

}  // namespace keys
}  // namespace kernelscape::fleet
