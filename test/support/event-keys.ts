import ts from "typescript";

/** The keys of each event's data as src/model/events.ts declares them, read by the compiler. */
export function eventKeys(): Map<string, Map<string, string>> {
  const file = new URL("../../src/model/events.ts", import.meta.url).pathname;
  const program = ts.createProgram([file], {
    strict: true,
    noEmit: true,
    types: [],
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.Node20,
    moduleResolution: ts.ModuleResolutionKind.Node16,
    allowImportingTsExtensions: true,
  });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const declaration = source?.statements.find(
    (statement): statement is ts.InterfaceDeclaration =>
      ts.isInterfaceDeclaration(statement) && statement.name.text === "EventData",
  );
  if (declaration === undefined) throw new Error("src/model/events.ts has no interface EventData");
  const events = new Map<string, Map<string, string>>();
  for (const event of checker.getTypeAtLocation(declaration).getProperties()) {
    const data = checker.getTypeOfSymbolAtLocation(event, declaration);
    const keys = data.getProperties().map((key): [string, string] => {
      const type = checker.getTypeOfSymbolAtLocation(key, declaration);
      return [key.getName(), checker.typeToString(type)];
    });
    events.set(event.getName(), new Map(keys));
  }
  return events;
}
