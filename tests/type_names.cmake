# Two types of one name, in headers of one namespace, would be one to the linker: says of which names there are two.
#
# cmake -D SOURCE=/FOLDER -P tests/type_names.cmake

cmake_minimum_required(VERSION 3.25)

set(failed FALSE)
foreach(folder app core ui)
  file(GLOB_RECURSE found RELATIVE ${SOURCE} ${SOURCE}/${folder}/*.h)
  list(APPEND headers ${found})
endforeach()
list(SORT headers)
if(NOT headers)
  message(FATAL_ERROR "${SOURCE} has no headers")
endif()
foreach(header ${headers})
  # Not those within others, of which a line begins with spaces, nor mere declarations.
  file(STRINGS ${SOURCE}/${header} lines REGEX "^(class|struct|enum class) [A-Za-z]+( final)?( :[^;]*)? {")
  foreach(line ${lines})
    string(REGEX REPLACE "^(class|struct|enum class) ([A-Za-z]+).*" "\\2" name "${line}")
    if(DEFINED header_of_${name})
      message("${header}: ${name} is a type of ${header_of_${name}} too")
      set(failed TRUE)
    endif()
    set(header_of_${name} ${header})
  endforeach()
endforeach()
if(failed)
  message(FATAL_ERROR "give one of each two another name")
endif()
