# kernelscape_layer(NAME [DEPENDS layer...] [LIBRARIES library...])
#
# One static library per folder of core/. DEPENDS names the layers that it may include: a layer that is
# not named is not linked, so an import that runs upwards does not build. A new file needs no line here.
function(kernelscape_layer name)
  cmake_parse_arguments(LAYER "" "" "DEPENDS;LIBRARIES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  add_library(kernelscape_${name} STATIC ${sources})
  target_include_directories(kernelscape_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  list(TRANSFORM LAYER_DEPENDS PREPEND kernelscape_)
  target_link_libraries(kernelscape_${name} PUBLIC ${LAYER_DEPENDS} ${LAYER_LIBRARIES})
endfunction()
