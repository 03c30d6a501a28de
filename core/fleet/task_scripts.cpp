#include "core/fleet/task_scripts.h"

namespace kernelscape::fleet {
namespace {

// The first function returns the owner of an entry, which a Redis that lost its data does not know. The
// second returns the values that a worker gets with an entry, and notifies the controller that the worker
// began.
#define KERNELSCAPE_LUA_FIND                                               \
  "local function pending(id)\n"                                           \
  "  local found = redis.pcall('XPENDING', KEYS[1], ARGV[1], id, id, 1)\n" \
  "  if found.err or #found == 0 then return nil end\n"                    \
  "  return found[1]\n"                                                    \
  "end\n"                                                                  \
  "local function owned(id)\n"                                             \
  "  local found = pending(id)\n"                                          \
  "  return found ~= nil and found[2] == ARGV[2]\n"                        \
  "end\n"

#define KERNELSCAPE_LUA_ACCEPT                                                               \
  "local function accept(id, fields)\n"                                                      \
  "  local values = {}\n"                                                                    \
  "  for i = 1, #fields, 2 do values[fields[i]] = fields[i + 1] end\n"                       \
  "  local by = values['by'] or ''\n"                                                        \
  "  if redis.call('EXISTS', 'kernelscape:controller:' .. by) == 0 then\n"                   \
  "    redis.call('XACK', KEYS[1], ARGV[1], id)\n"                                           \
  "    redis.call('XDEL', KEYS[1], id)\n"                                                    \
  "    return nil\n"                                                                         \
  "  end\n"                                                                                  \
  "  local nonce = 'kernelscape:nonce:' .. (values['nonce'] or '')\n"                        \
  "  redis.call('SET', nonce, id, 'NX', 'EX', ARGV[4])\n"                                    \
  "  redis.call('XADD', 'kernelscape:results:' .. by, '*', 'began', values['task'] or '',\n" \
  "             'worker', ARGV[2])\n"                                                        \
  "  return {id, pending(id)[4], fields, redis.call('TIME')[1], redis.call('GET', nonce)}\n" \
  "end\n"

// In a full Redis the first command fails, before any worker owns an entry. Redis 6.2 still claims an entry
// that was deleted while a worker had it, and returns it empty: its owner is removed then.
constexpr std::string_view take_text = KERNELSCAPE_LUA_FIND KERNELSCAPE_LUA_ACCEPT
    "redis.call('SET', 'kernelscape:room', '1', 'EX', 60)\n"
    "while true do\n"
    "  local cursor = '0-0'\n"
    "  local entries = {}\n"
    "  repeat\n"
    "    local claimed = redis.call('XAUTOCLAIM', KEYS[1], ARGV[1], ARGV[2], ARGV[3], cursor, 'COUNT', 1,\n"
    "                               'JUSTID')\n"
    "    cursor = claimed[1]\n"
    "    local id = claimed[2][1]\n"
    "    if id then\n"
    "      entries = redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[2], 0, id)\n"
    "      if not entries[1] then\n"
    "        redis.call('XACK', KEYS[1], ARGV[1], id)\n"
    "        entries = {}\n"
    "      end\n"
    "    end\n"
    "  until #entries > 0 or cursor == '0-0'\n"
    "  if #entries == 0 then\n"
    "    local fresh = redis.call('XREADGROUP', 'GROUP', ARGV[1], ARGV[2], 'COUNT', 1, 'STREAMS', KEYS[1], "
    "'>')\n"
    "    if not fresh then return false end\n"
    "    entries = fresh[1][2]\n"
    "  end\n"
    "  local taken = accept(entries[1][1], entries[1][2])\n"
    "  if taken ~= nil then return taken end\n"
    "end\n";

constexpr std::string_view accept_text = KERNELSCAPE_LUA_FIND KERNELSCAPE_LUA_ACCEPT
    "if not owned(ARGV[5]) then return false end\n"
    "local entries = redis.call('XRANGE', KEYS[1], ARGV[5], ARGV[5])\n"
    "if #entries == 0 then return false end\n"
    "local taken = accept(ARGV[5], entries[1][2])\n"
    "if taken == nil then return false end\n"
    "return taken\n";

constexpr std::string_view keep_text = KERNELSCAPE_LUA_FIND
    "if not owned(ARGV[3]) then return 0 end\n"
    "redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[2], 0, ARGV[3], 'JUSTID')\n"
    "return 1\n";

constexpr std::string_view finish_text = KERNELSCAPE_LUA_FIND
    "if not owned(ARGV[3]) then return 0 end\n"
    "if ARGV[6] ~= '' then redis.call('SET', KEYS[3], ARGV[6], 'EX', ARGV[7]) end\n"
    "redis.call('XADD', KEYS[2], '*', 'body', ARGV[4], 'signature', ARGV[5])\n"
    "redis.call('EXPIRE', KEYS[2], ARGV[8])\n"
    "if ARGV[9] ~= '' then\n"
    "  redis.call('XADD', KEYS[4], 'MAXLEN', '~', 1000, '*', 'task', ARGV[10], 'stream', KEYS[1],\n"
    "             'worker', ARGV[2], 'reason', ARGV[9])\n"
    "end\n"
    "redis.call('XACK', KEYS[1], ARGV[1], ARGV[3])\n"
    "redis.call('XDEL', KEYS[1], ARGV[3])\n"
    "return 1\n";

// Any worker can take the entry immediately: it is assigned to the consumer "returned" with an idle time of
// one lease.
constexpr std::string_view release_text = KERNELSCAPE_LUA_FIND
    "if not owned(ARGV[3]) then return 0 end\n"
    "redis.call('XCLAIM', KEYS[1], ARGV[1], 'returned', 0, ARGV[3], 'IDLE', ARGV[4], 'RETRYCOUNT', ARGV[5],\n"
    "           'JUSTID')\n"
    "return 1\n";

#undef KERNELSCAPE_LUA_FIND
#undef KERNELSCAPE_LUA_ACCEPT

}  // namespace

TaskScripts::TaskScripts()
    : take{take_text, {}},
      accept{accept_text, {}},
      keep{keep_text, {}},
      finish{finish_text, {}},
      release{release_text, {}} {}

}  // namespace kernelscape::fleet
