// SPDX-License-Identifier: BSD-3-Clause
// Opens reports in chromium, uses them as a person would, and prints what was seen as JSON.
//
//     node look_at_page.mjs CHROMIUM PROFILE PICTURES REPORT.html…
//
// Pictures of the pages go to the folder PICTURES.
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

const { chromium } = createRequire(import.meta.url)("playwright-core");
const [executable, profile, pictures, ...reports] = process.argv.slice(2);

const browser = await chromium.launchPersistentContext(profile, {
  executablePath: executable,
  headless: true,
  viewport: { width: 1000, height: 720 },
  args: [
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
  ],
});

// Every element that is drawn of the canvas, by its share of pixels that are not the background's colour.
async function measureInk(page) {
  return page.evaluate(() => {
    const { viewer } = window.thenarReplay,
      canvas = viewer.canvas,
      copy = document.createElement("canvas");
    viewer.drawNow();
    copy.width = 160;
    copy.height = 90;
    const context = copy.getContext("2d");
    context.drawImage(canvas, 0, 0, 160, 90);
    const pixels = context.getImageData(0, 0, 160, 90).data,
      first = pixels.slice(0, 3);
    let count = 0;
    for (let i = 0; i < pixels.length; i += 4) {
      if (Math.abs(pixels[i] - first[0]) + Math.abs(pixels[i + 1] - first[1]) + Math.abs(pixels[i + 2] - first[2]) > 24)
        ++count;
    }
    return count / (160 * 90);
  });
}

async function look(report) {
  const page = await browser.newPage(),
    seen = { errors: [], requests: [] };
  try {
    await use(page, report, seen);
  } catch (error) {
    throw new Error(`${report}: ${error.message}; errors of the page: ${JSON.stringify(seen.errors)}`);
  }
  await page.close();
  return seen;
}

async function use(page, report, seen) {
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) seen.errors.push(message.text());
  });
  page.on("pageerror", (error) => seen.errors.push(String(error)));
  page.on("request", (request) => {
    if (!request.url().startsWith("blob:")) seen.requests.push(request.url());
  });
  await page.goto(pathToFileURL(report).href);
  await page.waitForFunction(() => window.thenarReplay, null, { timeout: 20000 });
  seen.story = await page.textContent(".story");
  seen.bodies = await page.evaluate(() => window.thenarReplay.viewer.bodies.map((body) => body.name));
  seen.ink = await measureInk(page);
  await page.screenshot({ path: join(pictures, basename(dirname(report)) + ".png") });

  // Seeking by program: where bodies are and which contacts are drawn.
  const state = () =>
    page.evaluate(() => {
      const replay = window.thenarReplay,
        out = { t: replay.t, contacts: replay.drawnContacts(), poses: {} };
      for (const body of replay.viewer.bodies) out.poses[body.name] = replay.poseOf(body.name);
      return out;
    });
  const [from, to] = await page.evaluate(() => [window.thenarReplay.frames.from, window.thenarReplay.frames.to]);
  seen.states = [];
  for (const share of [0, 0.37, 1]) {
    await page.evaluate((t) => window.thenarReport.seek(t), from + share * (to - from));
    seen.states.push(await state());
  }

  // A click on the time line seeks the replay, and the slider moves with it.
  await page.locator("#stack .time").scrollIntoViewIfNeeded();
  const lane = await page.locator("#stack .time").boundingBox();
  await page.mouse.click(lane.x + 0.25 * lane.width, lane.y + lane.height / 2);
  seen.clicked = await page.evaluate(() => ({
    t: window.thenarReplay.t,
    slider: window.thenarReplay.scrub.valueAsNumber,
  }));
  seen.wanted = from + 0.25 * (to - from);

  // Dragging the slider moves the cursor of the plots.
  await page.locator("#replay .scrub").focus();
  await page.locator("#replay .scrub").fill("0.5");
  seen.scrubbed = await page.evaluate(() => ({
    t: window.thenarReplay.t,
    kept: window.thenarReport.time(),
    told: document.getElementById("now").textContent,
  }));

  // Playing goes on in time and stops; the cursor goes along.
  await page.evaluate(() => {
    window.thenarReplay.speed = window.thenarReplay.frames.to - window.thenarReplay.frames.from;
  });
  await page.click("#replay .play");
  await page.waitForFunction((t) => window.thenarReplay.t > t, seen.scrubbed.t);
  seen.playing = await page.evaluate(
    () => window.thenarReplay.isPlaying || window.thenarReplay.t === window.thenarReplay.frames.to,
  );
  await page.waitForFunction(() => !window.thenarReplay.isPlaying);
  seen.played = await page.evaluate(() => ({ t: window.thenarReplay.t, kept: window.thenarReport.time() }));

  // Space plays again from the start; another pauses it.
  await page.evaluate(() => {
    document.activeElement.blur();
    window.thenarReplay.speed = 1e-6;
  });
  await page.keyboard.press(" ");
  seen.space = await page.evaluate(() => window.thenarReplay.isPlaying);
  await page.keyboard.press(" ");
  seen.paused = await page.evaluate(() => !window.thenarReplay.isPlaying);

  // Everything that can be switched on does not fail; the camera turns with the pointer.
  for (const key of ["c", "f", "k", "p", "+", "-", ".", ","]) await page.keyboard.press(key);
  await page.evaluate(() => window.scrollTo(0, 0));
  const canvas = await page.locator("#replay canvas").boundingBox();
  const camera = () => page.evaluate(() => window.thenarReplay.viewer.camera.position.toArray());
  const before = await camera();
  await page.mouse.move(canvas.x + 300, canvas.y + 200);
  await page.mouse.down();
  await page.mouse.move(canvas.x + 420, canvas.y + 240, { steps: 4 });
  await page.mouse.up();
  const after = await camera();
  // In a narrow window nothing is wider than it.
  await page.setViewportSize({ width: 420, height: 800 });
  seen.overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  seen.turned = Math.hypot(...before.map((x, i) => x - after[i])) > 0;
}

const out = {};
for (const report of reports) out[basename(dirname(report))] = await look(report);
await browser.close();
console.log(JSON.stringify(out));
