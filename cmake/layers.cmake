# The layers: one static library per folder. DEPENDS names the layers that a folder may include, and with them what
# those may include: a layer that is not named is not linked, and the test "imports" compares every #include with
# these lines. A new file needs no line here.

set_property(GLOBAL PROPERTY KERNELSCAPE_LAYERS "")

# The headers that nearly every file reads, compiled once per kind of target. No file may rely on them: tests/headers
# compiles every header alone.
file(WRITE ${CMAKE_BINARY_DIR}/precompiled.cpp "")
function(kernelscape_precompiled_headers name)
  cmake_parse_arguments(PRECOMPILED "" "" "HEADERS;LIBRARIES;DEFINITIONS" ${ARGN})
  set(target kernelscape_precompiled_${name})
  add_library(${target} OBJECT ${CMAKE_BINARY_DIR}/precompiled.cpp)
  target_link_libraries(${target} PRIVATE ${PRECOMPILED_LIBRARIES})
  target_compile_definitions(${target} PRIVATE ${PRECOMPILED_DEFINITIONS})
  target_precompile_headers(${target} PRIVATE ${PRECOMPILED_HEADERS})
endfunction()

set(standard_headers
    <algorithm> <array> <bit> <charconv> <chrono> <cmath> <cstdint> <expected> <filesystem> <functional> <limits>
    <map> <memory> <mutex> <numeric> <optional> <random> <set> <span> <string> <string_view> <thread> <unordered_map>
    <utility> <variant> <vector> <fmt/format.h> <fmt/ranges.h> <nlohmann/json.hpp>)
kernelscape_precompiled_headers(core HEADERS ${standard_headers}
                                LIBRARIES fmt::fmt nlohmann_json::nlohmann_json)
set(window_definitions QT_NO_FOREACH QT_NO_CAST_TO_ASCII QT_NO_NARROWING_CONVERSIONS_IN_CONNECT)
kernelscape_precompiled_headers(ui HEADERS ${standard_headers} <QtWidgets>
                                LIBRARIES fmt::fmt nlohmann_json::nlohmann_json Qt6::Widgets
                                DEFINITIONS ${window_definitions})

# kernelscape_library(TARGET FOLDER PRECOMPILED DEPENDS layer... LIBRARIES library... [FILES file...])
function(kernelscape_library target folder precompiled)
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
  target_precompile_headers(${target} REUSE_FROM kernelscape_precompiled_${precompiled})
  file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${folder})
  set_property(GLOBAL APPEND PROPERTY KERNELSCAPE_LAYERS "${target}|${path}|${LAYER_DEPENDS}")
endfunction()

# kernelscape_layer(NAME [DEPENDS layer...] [LIBRARIES library...]): a folder of core/.
function(kernelscape_layer name)
  cmake_parse_arguments(LAYER "" "" "DEPENDS;LIBRARIES" ${ARGN})
  list(TRANSFORM LAYER_DEPENDS PREPEND kernelscape_)
  kernelscape_library(kernelscape_${name} ${CMAKE_CURRENT_SOURCE_DIR}/${name} core
                      DEPENDS ${LAYER_DEPENDS} LIBRARIES ${LAYER_LIBRARIES})
endfunction()
