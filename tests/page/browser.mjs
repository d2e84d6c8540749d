// Defines the parts of a browser that the tested modules read when they are loaded.

globalThis.location = new URL('https://map.example/maps/ours/index.html');
Object.defineProperty(globalThis, 'navigator', { value: { languages: ['en'] } });
globalThis.document = { querySelector: () => null };
