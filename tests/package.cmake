# cmake -D BUILD=FOLDER -D SOURCE=FOLDER -P package.cmake
#
# Packs a build as app/package does, unpacks it and uses it from another folder: what apt reads is right, every file of
# data/ is there, and both programs run. What an installed program does beyond that: installation.cmake.
cmake_minimum_required(VERSION 3.25)

foreach(tool dpkg-deb dpkg-shlibdeps file)
  find_program(found_${tool} ${tool})
  if(NOT found_${tool})
    message("SKIPPED: there is no ${tool}; packages are made on Debian")
    return()
  endif()
endforeach()

function(run)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env --unset=KERNELSCAPE_DATA --unset=KERNELSCAPE_WORKER ${ARGN}
                  WORKING_DIRECTORY / OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  string(STRIP "${output}" output)
  set(output "${output}" PARENT_SCOPE)
endfunction()

set(folder "${BUILD}/a package")
file(REMOVE_RECURSE "${folder}")
# Faster than xz; the programs are those of the build that there is.
run(${CMAKE_CPACK_COMMAND} --config "${BUILD}/CPackConfig.cmake" -B "${folder}" -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip)
file(GLOB package "${folder}/kernelscape_*.deb")
file(GLOB tarball "${folder}/kernelscape-*.tar.gz")
if(NOT package OR NOT tarball)
  message(FATAL_ERROR "no package or no tarball in ${folder}")
endif()

run(dpkg-deb --extract "${package}" "${folder}/unpacked")
set(prefix "${folder}/unpacked/usr")
run("${prefix}/bin/kernelscape" --version)
set(version "${output}")
run(dpkg-deb --field "${package}" Version)
if(NOT output STREQUAL version)
  message(FATAL_ERROR "the package has version ${output}, the program ${version}")
endif()
run(dpkg-deb --field "${package}" Depends)
foreach(needed "gcc [|] clang" libc6-dev fonts libqt6widgets6 libonnx libsqlite3 libhiredis)
  if(NOT output MATCHES "${needed}")
    message(FATAL_ERROR "the package does not depend on ${needed}: ${output}")
  endif()
endforeach()

file(GLOB_RECURSE files RELATIVE "${SOURCE}/data" "${SOURCE}/data/*")
list(FILTER files EXCLUDE REGEX "^export/")  # in the program
foreach(file ${files})
  run(${CMAKE_COMMAND} -E compare_files "${SOURCE}/data/${file}" "${prefix}/share/kernelscape/data/${file}")
endforeach()
foreach(file applications/org.kernelscape.Kernelscape.desktop icons/hicolor/scalable/apps/kernelscape.svg
             doc/kernelscape/copyright)
  if(NOT EXISTS "${prefix}/share/${file}")
    message(FATAL_ERROR "not in the package: usr/share/${file}")
  endif()
endforeach()

run(dpkg-deb --field "${package}" Provides)
if(NOT output MATCHES "python3-kernelscape")
  message(FATAL_ERROR "the package does not provide python3-kernelscape: ${output}")
endif()
set(module "${prefix}/lib/python3/dist-packages")
if(NOT EXISTS "${module}/kernelscape/kernel_tuner/interface.py")
  message(FATAL_ERROR "the Python package is not in the package")
endif()
find_program(python NAMES python3)
if(python)
  run("PYTHONPATH=${module}" PYTHONDONTWRITEBYTECODE=1 "${python}" -c
      "from kernelscape.kernel_tuner import tune_kernel; print(tune_kernel.__module__)")
endif()

# A tarball is unpacked anywhere: it begins with a folder of its own, and has the same programs.
run(${CMAKE_COMMAND} -E make_directory "${folder}/elsewhere")
run(${CMAKE_COMMAND} -E chdir "${folder}/elsewhere" ${CMAKE_COMMAND} -E tar xf "${tarball}")
file(GLOB unpacked "${folder}/elsewhere/*/bin")
foreach(bin "${prefix}/bin" "${unpacked}")
  run("${bin}/kernelscape" tasks)
  if(NOT output MATCHES "resnet18/C6")
    message(FATAL_ERROR "${bin}/kernelscape does not read its catalogue:\n${output}")
  endif()
  execute_process(COMMAND "${bin}/kernelscape-worker" WORKING_DIRECTORY / RESULT_VARIABLE code ERROR_VARIABLE error)
  if(NOT code EQUAL 2 OR NOT error MATCHES "is started by kernelscape")
    message(FATAL_ERROR "${bin}/kernelscape-worker without arguments: exit code ${code}, ${error}")
  endif()
endforeach()
file(REMOVE_RECURSE "${folder}")
