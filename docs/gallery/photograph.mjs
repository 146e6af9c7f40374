// SPDX-License-Identifier: BSD-3-Clause
// Photographs the replay of a report: a strip with a frame for each time, as JPEG.
//
//     node photograph.mjs CHROMIUM REPORT.html OUTPUT.jpg VIEW ZOOM TIME…
import { createRequire } from "node:module";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const { chromium } = createRequire(import.meta.url)("playwright-core");
const [executable, report, output, view, zoom, ...times] = process.argv.slice(2);
const FRAME = { width: 320, height: 300 };

const profile = mkdtempSync(join(tmpdir(), "thenar_gallery_"));
const browser = await chromium.launchPersistentContext(profile, {
  executablePath: executable,
  headless: true,
  viewport: { width: 900, height: 1000 },
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

// Draws the frames side by side, each with its time.
function drawStrip({ times, view, zoom, frame }) {
  const { viewer } = window.thenarReplay,
    strip = document.createElement("canvas"),
    context = strip.getContext("2d"),
    gap = 2;
  strip.width = times.length * (frame.width + gap) - gap;
  strip.height = frame.height;
  context.fillStyle = "#fff";
  context.fillRect(0, 0, strip.width, strip.height);
  viewer.look(view);
  viewer.camera.position.sub(viewer.controls.target).divideScalar(zoom).add(viewer.controls.target);
  viewer.controls.update();
  viewer.isUntouched = false;
  times.forEach((t, i) => {
    window.thenarReport.seek(t);
    viewer.drawNow();
    const { width, height } = viewer.canvas,
      share = Math.min(width / frame.width, height / frame.height),
      w = share * frame.width,
      h = share * frame.height,
      x = i * (frame.width + gap);
    context.drawImage(viewer.canvas, (width - w) / 2, (height - h) / 2, w, h, x, 0, frame.width, frame.height);
    context.font = "15px sans-serif";
    context.fillStyle = "#222";
    context.fillText(`t = ${t} s`, x + 10, 22);
  });
  return strip.toDataURL("image/jpeg", 0.82);
}

try {
  const page = await browser.newPage();
  await page.goto(pathToFileURL(report).href);
  await page.waitForFunction(() => window.thenarReplay, null, { timeout: 20000 });
  const picture = await page.evaluate(drawStrip, { times: times.map(Number), view, zoom: Number(zoom), frame: FRAME });
  writeFileSync(output, Buffer.from(picture.split(",")[1], "base64"));
} finally {
  await browser.close();
  rmSync(profile, { recursive: true, force: true });
}
