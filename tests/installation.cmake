# cmake -D BUILD=FOLDER -D SOURCE=FOLDER -P installation.cmake
#
# Installs a build and uses it from there: every file of data/ is there, the program reads the installed ones,
# not those of the source tree, and it finds its worker. The desktop finds the program, and its window opens and goes.
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env --unset=KERNELSCAPE_DATA --unset=KERNELSCAPE_WORKER ${ARGN}
                  WORKING_DIRECTORY / OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  set(output "${output}" PARENT_SCOPE)
endfunction()

set(prefix "${BUILD}/an installation")
file(REMOVE_RECURSE "${prefix}")
run(${CMAKE_COMMAND} --install "${BUILD}" --prefix "${prefix}")

file(GLOB_RECURSE files RELATIVE "${SOURCE}/data" "${SOURCE}/data/*")
list(FILTER files EXCLUDE REGEX "^export/")  # in the program
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

# What the desktop reads; the validators where they are installed.
set(desktop_file "${prefix}/share/applications/org.kernelscape.Kernelscape.desktop")
set(metainfo "${prefix}/share/metainfo/org.kernelscape.Kernelscape.metainfo.xml")
foreach(file "${desktop_file}" "${metainfo}" "${prefix}/share/icons/hicolor/scalable/apps/kernelscape.svg")
  if(NOT EXISTS "${file}")
    message(FATAL_ERROR "not installed: ${file}")
  endif()
endforeach()
find_program(DESKTOP_FILE_VALIDATE desktop-file-validate)
if(DESKTOP_FILE_VALIDATE)
  run("${DESKTOP_FILE_VALIDATE}" "${desktop_file}")
endif()
find_program(APPSTREAMCLI appstreamcli)
if(APPSTREAMCLI)
  # AppStream 1.0 fails for warnings as well, of which one remains: the project has no homepage.
  execute_process(COMMAND "${APPSTREAMCLI}" validate --no-net --no-color "${metainfo}" OUTPUT_VARIABLE remarks)
  if(NOT remarks MATCHES "[Vv]alidat" OR remarks MATCHES "(^|\n) *E:")
    message(FATAL_ERROR "${metainfo}: ${remarks}")
  endif()
endif()

# Without a display it says so; with one it stays until it is asked to go.
set(no_display --unset=DISPLAY --unset=WAYLAND_DISPLAY --unset=QT_QPA_PLATFORM)
execute_process(COMMAND ${CMAKE_COMMAND} -E env ${no_display} "${kernelscape}" RESULT_VARIABLE code ERROR_VARIABLE error)
if(NOT code EQUAL 1 OR NOT error MATCHES "no window can be opened")
  message(FATAL_ERROR "without a display: exit code ${code}, ${error}")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -E env ${no_display} DISPLAY=:4711 "${kernelscape}" RESULT_VARIABLE code
                ERROR_VARIABLE error)
if(NOT code EQUAL 1 OR NOT error MATCHES "DISPLAY=:4711 does not answer")
  message(FATAL_ERROR "with a dead display: exit code ${code}, ${error}")
endif()
run(QT_QPA_PLATFORM=offscreen "XDG_CONFIG_HOME=${prefix}/config" timeout --preserve-status --signal=TERM 2
    "${kernelscape}" --db "${prefix}/kernelscape.db")
if(NOT EXISTS "${prefix}/config/kernelscape/preferences.json")
  message(FATAL_ERROR "the window kept no preferences")
endif()
