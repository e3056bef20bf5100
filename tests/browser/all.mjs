import { hasPage, runAll, test, expect, program } from "./support.mjs";

test("the program was built with the page", async () => expect(hasPage(), `there is no bundled page beside ${program}; is npm there?`));
if (hasPage()) {
  await import("./page_tests.mjs");
  await import("./live_tests.mjs");
  await import("./program_tests.mjs");
}
process.exit((await runAll(process.argv[5])) ? 0 : 1);
