# Runs the tests of the Python package: cmake -D BUILD=FOLDER -D SOURCE=FOLDER -P python.cmake
#
# Debian's pytest is found by Debian's Python only, which need not be the first in PATH.
find_program(first_python NAMES python3)
foreach(candidate "${first_python}" /usr/bin/python3)
  execute_process(COMMAND "${candidate}" -c "import sys, pytest; sys.exit(sys.version_info < (3, 11))"
                  RESULT_VARIABLE missing OUTPUT_QUIET ERROR_QUIET)
  if(missing EQUAL 0)
    set(python "${candidate}")
    break()
  endif()
endforeach()
if(NOT python)
  message("SKIPPED: Python 3.11 with pytest is needed (Debian: python3-pytest)")
  return()
endif()
set(ENV{KERNELSCAPE} ${BUILD}/bin/kernelscape)
set(ENV{PYTHONPATH} ${SOURCE}/python)
set(ENV{PYTHONDONTWRITEBYTECODE} 1)
execute_process(COMMAND ${python} -m pytest -q -rs -p no:cacheprovider ${SOURCE}/python/tests RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "the tests of the Python package failed")
endif()
