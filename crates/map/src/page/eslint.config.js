// The rules for the scripts of the pages. They are written out here because the packages of the
// linter are installed in another folder, from which this file could import no preset.

const browser = [
  'AbortSignal', 'Blob', 'CanvasRenderingContext2D', 'DecompressionStream', 'Element', 'Event',
  'EventSource', 'HTMLElement', 'Image', 'MutationObserver', 'NodeFilter', 'Option', 'Path2D',
  'ResizeObserver', 'Response', 'TextDecoder', 'URL', 'URLSearchParams', 'atob', 'cancelAnimationFrame',
  'clearTimeout', 'console', 'createImageBitmap', 'document', 'fetch', 'history', 'location',
  'navigator', 'queueMicrotask', 'requestAnimationFrame', 'setInterval', 'setTimeout', 'window',
];

/** Global names that the page's other scripts set: the libraries, and the facts of the map. */
const page = ['L', 'maplibregl', 'PIXELMAP', 'PIXELMAP_ARCHIVE'];

export default [
  {
    ignores: ['**/libraries/'],
  },
  {
    languageOptions: {
      ecmaVersion: 2025,
      sourceType: 'module',
      globals: Object.fromEntries([...browser, ...page].map((name) => [name, 'readonly'])),
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      'constructor-super': 'error',
      'eqeqeq': 'error',
      'for-direction': 'error',
      'getter-return': 'error',
      'max-len': ['error', { code: 100, ignoreUrls: true, ignoreStrings: true }],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      'no-array-constructor': 'error',
      'no-async-promise-executor': 'error',
      'no-cond-assign': 'error',
      'no-const-assign': 'error',
      'no-dupe-class-members': 'error',
      'no-dupe-else-if': 'error',
      'no-dupe-keys': 'error',
      'no-duplicate-imports': 'error',
      'no-eval': 'error',
      'no-fallthrough': 'error',
      'no-func-assign': 'error',
      'no-implicit-globals': 'error',
      'no-implied-eval': 'error',
      'no-import-assign': 'error',
      'no-inner-declarations': 'error',
      'no-loss-of-precision': 'error',
      'no-redeclare': 'error',
      'no-self-assign': 'error',
      'no-shadow': 'error',
      'no-sparse-arrays': 'error',
      'no-this-before-super': 'error',
      'no-undef': 'error',
      'no-unreachable': 'error',
      'no-unsafe-finally': 'error',
      'no-unused-expressions': 'error',
      'no-unused-vars': ['error', { caughtErrors: 'none' }],
      'no-use-before-define': ['error', { functions: false, classes: false, variables: false }],
      'no-useless-catch': 'error',
      'no-useless-return': 'error',
      'no-var': 'error',
      'prefer-const': 'error',
      'require-yield': 'error',
      'semi': ['error', 'always'],
      'use-isnan': 'error',
      'valid-typeof': 'error',
    },
  },
];
