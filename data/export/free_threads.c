
static void team_settle(int part) {
  (void)part;
}
static void team_leave(void) {}
