/** Stops with a clear message when a script runs on a Node that cannot run TypeScript sources and `node:sqlite`. */
const required = 24
const major = Number(process.versions.node.split(".")[0])
if (major < required) {
  process.stderr.write(
    `Backstitch's scripts need Node ${required}, and this is ${process.version}.\n` +
      "The workspace brings its own: run `npx -y pnpm@12 install` once, then the command again.\n"
  )
  process.exit(1)
}
