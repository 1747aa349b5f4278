import { App } from "./app/app.js";

new App().start();
