# The layers: one static library per folder. DEPENDS names the layers that a folder may include, and with them what
# those may include: a layer that is not named is not linked, and the test "imports" compares every #include with
# these lines. A new file needs no line here.

set_property(GLOBAL PROPERTY KERNELSCAPE_LAYERS "")

# Three kinds of layers, each with the headers that nearly every file reads, compiled once. No file may rely on them:
# tests/includes compiles files alone.
#   fast   what computes: as CMake optimises a release
#   plain  what waits for files, compilers and people: optimised so far that it costs the compiler little
#   window the same, with Qt
file(WRITE ${CMAKE_BINARY_DIR}/precompiled.cpp "")
set(little_optimisation $<$<CONFIG:Release>:-O1>)
function(kernelscape_kind name)
  cmake_parse_arguments(PRECOMPILED "" "" "HEADERS;LIBRARIES;DEFINITIONS;OPTIONS" ${ARGN})
  set(target kernelscape_${name}_headers)
  add_library(${target} OBJECT ${CMAKE_BINARY_DIR}/precompiled.cpp)
  target_compile_options(${target} PRIVATE ${PRECOMPILED_OPTIONS})
  target_link_libraries(${target} PRIVATE ${PRECOMPILED_LIBRARIES})
  target_compile_definitions(${target} PRIVATE ${PRECOMPILED_DEFINITIONS})
  target_precompile_headers(${target} PRIVATE ${PRECOMPILED_HEADERS})
endfunction()

set(standard_headers
    <algorithm> <array> <bit> <charconv> <chrono> <cmath> <cstdint> <expected> <filesystem> <functional> <limits>
    <map> <memory> <mutex> <numeric> <optional> <random> <set> <span> <string> <string_view> <thread> <unordered_map>
    <utility> <variant> <vector> <fmt/format.h> <fmt/ranges.h>)
set(standard_libraries fmt::fmt)
kernelscape_kind(fast HEADERS ${standard_headers} LIBRARIES ${standard_libraries})
kernelscape_kind(plain HEADERS ${standard_headers} LIBRARIES ${standard_libraries} OPTIONS ${little_optimisation})
set(window_definitions QT_NO_FOREACH QT_NO_CAST_TO_ASCII QT_NO_NARROWING_CONVERSIONS_IN_CONNECT)
kernelscape_kind(window HEADERS ${standard_headers} <QAbstractTableModel> <QBoxLayout> <QComboBox> <QCoreApplication>
                 <QHeaderView> <QKeyEvent> <QLabel> <QLineEdit> <QMenu> <QObject> <QPainter> <QPushButton> <QString>
                 <QStringList> <QTableView> <QTimer> <QToolButton> <QWidget>
                 LIBRARIES ${standard_libraries} Qt6::Widgets
                 DEFINITIONS ${window_definitions} OPTIONS ${little_optimisation})

# kernelscape_library(TARGET FOLDER KIND [DEPENDS layer...] [LIBRARIES library...] [FILES file...])
function(kernelscape_library target folder kind)
  cmake_parse_arguments(LAYER "" "" "DEPENDS;LIBRARIES;FILES" ${ARGN})
  if(LAYER_FILES)
    set(sources ${LAYER_FILES})
    list(TRANSFORM sources PREPEND ${folder}/)
  else()
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cpp ${folder}/*.h)
  endif()
  add_library(${target} STATIC ${sources})
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PUBLIC ${LAYER_DEPENDS} ${LAYER_LIBRARIES})
  target_precompile_headers(${target} REUSE_FROM kernelscape_${kind}_headers)
  if(NOT kind STREQUAL "fast")
    target_compile_options(${target} PRIVATE ${little_optimisation})
  endif()
  file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${folder})
  set(named ${LAYER_DEPENDS} ${LAYER_LIBRARIES})
  list(FILTER named INCLUDE REGEX "^kernelscape_")
  list(JOIN named "," named)
  set_property(GLOBAL APPEND PROPERTY KERNELSCAPE_LAYERS "${target}|${path}|${named}")
endfunction()

# kernelscape_layer(NAME [PLAIN] [DEPENDS layer...] [LIBRARIES library...]): a folder of core/.
function(kernelscape_layer name)
  cmake_parse_arguments(LAYER "PLAIN" "" "DEPENDS;LIBRARIES" ${ARGN})
  list(TRANSFORM LAYER_DEPENDS PREPEND kernelscape_)
  set(kind fast)
  if(LAYER_PLAIN)
    set(kind plain)
  endif()
  kernelscape_library(kernelscape_${name} ${CMAKE_CURRENT_SOURCE_DIR}/${name} ${kind}
                      DEPENDS ${LAYER_DEPENDS} LIBRARIES ${LAYER_LIBRARIES})
endfunction()

# kernelscape_embed(TARGET NAME FOLDER): makes a header NAME.h for TARGET, with a literal NAME::FILE_EXTENSION for every file
# of FOLDER. Literals may be written unescaped, so that the text has to be known when the program is compiled.
function(kernelscape_embed target name folder)
  file(GLOB files CONFIGURE_DEPENDS ${folder}/[a-z]*)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  string(REPLACE "kernelscape_" "kernelscape::" namespace ${target}::${name})
  set(text "#pragma once\n\n#include \"core/base/written.h\"\n\nnamespace ${namespace} {\n\n")
  foreach(file IN LISTS files)
    get_filename_component(constant ${file} NAME)
    string(REPLACE "." "_" constant ${constant})
    file(READ ${file} content)
    string(APPEND text "inline constexpr base::Literal ${constant} = R\"embedded(${content})embedded\";\n\n")
  endforeach()
  string(APPEND text "}  // namespace ${namespace}\n")
  set(header ${CMAKE_CURRENT_BINARY_DIR}/embedded/${name}.h)
  set(before "")
  if(EXISTS ${header})
    file(READ ${header} before)
  endif()
  if(NOT before STREQUAL text)
    file(WRITE ${header} "${text}")
  endif()
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/embedded)
endfunction()
