// SPDX-License-Identifier: BSD-3-Clause
// Reads MCAP files with npm's @mcap/core, checksums included, and prints what is in them as JSON.
import { open } from "node:fs/promises";
import { createRequire } from "node:module";

const { McapIndexedReader, McapStreamReader } = createRequire(import.meta.url)("@mcap/core");

// A file as the reader asks for it.
async function readable(handle) {
  const { size } = await handle.stat();
  return {
    size: async () => BigInt(size),
    read: async (offset, length) => {
      const out = new Uint8Array(Number(length));
      await handle.read(out, 0, out.byteLength, Number(offset));
      return out;
    },
  };
}

async function readIndexed(path) {
  const handle = await open(path),
    reader = await McapIndexedReader.Initialize({ readable: await readable(handle) });
  const out = { topics: {}, metadata: {}, statistics: null, library: reader.header.library };
  const { messageCount, chunkCount, channelCount, schemaCount } = reader.statistics;
  out.statistics = { messageCount: Number(messageCount), chunkCount, channelCount, schemaCount };
  for (const channel of reader.channelsById.values()) {
    const schema = reader.schemasById.get(channel.schemaId);
    out.topics[channel.topic] = {
      encoding: channel.messageEncoding,
      schema: schema.name,
      schemaEncoding: schema.encoding,
      fields: Object.keys(JSON.parse(new TextDecoder().decode(schema.data)).properties),
      times: [],
      messages: [],
    };
  }
  for await (const message of reader.readMessages({ validateCrcs: true })) {
    const topic = out.topics[reader.channelsById.get(message.channelId).topic];
    topic.times.push(Number(message.logTime));
    topic.messages.push(JSON.parse(new TextDecoder().decode(message.data)));
  }
  for await (const { name, metadata } of reader.readMetadata()) out.metadata[name] = Object.fromEntries(metadata);
  await handle.close();
  return out;
}

// From first byte to last, as a stream; every record, with the checksums of data and chunks.
async function readStream(path) {
  const handle = await open(path),
    reader = new McapStreamReader({ validateCrcs: true });
  const counts = {};
  reader.append(await handle.readFile());
  for (let record = reader.nextRecord(); record; record = reader.nextRecord()) {
    counts[record.type] = (counts[record.type] || 0) + 1;
  }
  await handle.close();
  return { counts, done: reader.done() };
}

const path = process.argv[2];
console.log(JSON.stringify({ indexed: await readIndexed(path), stream: await readStream(path) }));
