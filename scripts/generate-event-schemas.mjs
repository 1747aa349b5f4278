// Writes src/telemetry/async-api/event-data.json: a JSON Schema of each event's data, as src/model/events.ts declares it
// (read by the compiler) and docs/events.md explains its keys. With --print it writes to standard output instead.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const source = join(root, "src/model/events.ts");
const target = join(root, "src/telemetry/async-api/event-data.json");

const program = ts.createProgram([source], {
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  types: [],
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.Node20,
  moduleResolution: ts.ModuleResolutionKind.Node16,
  allowImportingTsExtensions: true,
});
const checker = program.getTypeChecker();
const declaration = program
  .getSourceFile(source)
  ?.statements.find((statement) => ts.isInterfaceDeclaration(statement) && statement.name.text === "EventData");
if (declaration === undefined) throw new Error("src/model/events.ts has no interface EventData");

const meanings = keyMeanings(readFileSync(join(root, "docs/events.md"), "utf8"));
const schemas = {};
for (const event of checker.getTypeAtLocation(declaration).getProperties()) {
  const schema = schemaOf(checker.getTypeOfSymbolAtLocation(event, declaration), event.getName());
  const keys = meanings.get(event.getName()) ?? new Map();
  for (const [key, property] of Object.entries(schema.properties)) {
    if (keys.has(key)) schema.properties[key] = { description: keys.get(key), ...property };
  }
  schemas[event.getName()] = schema;
}

const text = `${JSON.stringify(schemas, null, 2)}\n`;
if (process.argv.includes("--print")) {
  process.stdout.write(text);
} else {
  writeFileSync(target, text);
  spawnSync(process.execPath, [join(root, "node_modules/@biomejs/biome/bin/biome"), "format", "--write", target], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
}

/** What docs/events.md says of each key, by event. */
function keyMeanings(document) {
  const sections = document.split("\n## The events\n")[1].split("\n### ").slice(1);
  return new Map(
    sections.map((section) => [
      section.slice(0, section.indexOf("\n")),
      new Map(
        [...section.matchAll(/^\| `(\w+)` \| (.+) \|$/gm)].map(([, key, what]) => [
          key,
          what.replace(/ ?\*\((?:journal|stream) only\)\*$/, "").replaceAll("\\|", "|"),
        ]),
      ),
    ]),
  );
}

/** The schema of a type. Throws for a type that JSON has no form for, with the path that leads to it. */
function schemaOf(type, path) {
  if (type.aliasSymbol?.name === "Json") return {};
  if ([type.symbol?.name, type.aliasSymbol?.name].includes("JsonObject")) return { type: "object" };
  if (type.isUnion()) return unionSchema(type.types, path);
  if (type.flags & ts.TypeFlags.Null) return { type: "null" };
  if (type.flags & ts.TypeFlags.BooleanLiteral) return { const: checker.typeToString(type) === "true" };
  if (type.isLiteral()) return { const: type.value };
  if (type.flags & ts.TypeFlags.String) return { type: "string" };
  if (type.flags & ts.TypeFlags.Number) return { type: "number" };
  if (type.flags & ts.TypeFlags.Boolean) return { type: "boolean" };
  if (checker.isTupleType(type)) throw new Error(`${path}: tuples are not told`);
  if (checker.isArrayType(type)) {
    return { type: "array", items: schemaOf(checker.getTypeArguments(type)[0], `${path}[]`) };
  }
  if (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) return objectSchema(type, path);
  throw new Error(`${path}: no schema for ${checker.typeToString(type)}`);
}

/** Literals become one `enum`, plain types one `type`, the rest stands in `anyOf`. */
function unionSchema(types, path) {
  const branches = types.filter((type) => !(type.flags & ts.TypeFlags.Undefined)).map((type) => schemaOf(type, path));
  const values = branches.filter((branch) => "const" in branch).map((branch) => branch.const);
  const bothBooleans = values.includes(true) && values.includes(false);
  const literals = bothBooleans ? values.filter((value) => typeof value !== "boolean") : values;
  const isPlain = (branch) => Object.keys(branch).length === 1 && "type" in branch;
  const names = branches.filter(isPlain).map((branch) => branch.type);
  if (bothBooleans) names.unshift("boolean");
  const others = branches.filter((branch) => !("const" in branch) && !isPlain(branch));
  // Null beside literals belongs to their list.
  // Sorted: the compiler's own order follows whatever it has met before.
  const nullable = literals.length > 0 && names.length === 1 && names[0] === "null";
  const listed = [...literals.sort(), ...(nullable ? [null] : [])];
  const named = nullable ? [] : names.sort();
  const parts = [
    ...(listed.length > 0 ? [{ enum: listed }] : []),
    ...(named.length > 0 ? [{ type: named.length === 1 ? named[0] : named }] : []),
    ...others,
  ];
  return parts.length === 1 ? parts[0] : { anyOf: parts };
}

function objectSchema(type, path) {
  const properties = {};
  const required = [];
  for (const property of type.getProperties()) {
    const name = property.getName();
    properties[name] = schemaOf(checker.getTypeOfSymbolAtLocation(property, declaration), `${path}.${name}`);
    if (!(property.flags & ts.SymbolFlags.Optional)) required.push(name);
  }
  const index = type.getStringIndexType();
  return {
    type: "object",
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required } : {}),
    ...(index ? { additionalProperties: schemaOf(index, `${path}[key]`) } : {}),
  };
}
