# cmake -D BUILD=FOLDER -D SOURCE=FOLDER -P installation.cmake
#
# Installs a build and uses it from there: every file of data/ has come along, the program reads the installed ones,
# not those of the source tree, and it finds its worker.
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env --unset=KERNELSCAPE_DATA --unset=KERNELSCAPE_WORKER ${ARGN}
                  OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  set(output "${output}" PARENT_SCOPE)
endfunction()

set(prefix "${BUILD}/an installation")
file(REMOVE_RECURSE "${prefix}")
run(${CMAKE_COMMAND} --install "${BUILD}" --prefix "${prefix}")

file(GLOB_RECURSE files RELATIVE "${SOURCE}/data" "${SOURCE}/data/*")
foreach(file ${files})
  run(${CMAKE_COMMAND} -E compare_files "${SOURCE}/data/${file}" "${prefix}/share/kernelscape/data/${file}")
endforeach()

# A task that only the installed catalogue has: it can only be known from there.
set(task "{\"name\": \"installation/matmul\", \"task\": \"matmul 16x32 32x16 f32\"}")
file(WRITE "${prefix}/share/kernelscape/data/tasks/installation.json" "{\"description\": \"\", \"tasks\": [${task}]}")
set(kernelscape "${prefix}/bin/kernelscape")
run("${kernelscape}" tasks)
if(NOT output MATCHES "installation/matmul")
  message(FATAL_ERROR "the installed program does not read the installed catalogue:\n${output}")
endif()
run("${kernelscape}" tune installation/matmul --tuner random --trials 4 --db "${prefix}/kernelscape.db" --json)
if(NOT output MATCHES "NO_ERROR")
  message(FATAL_ERROR "the installed program measured no kernel:\n${output}")
endif()
