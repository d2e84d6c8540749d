{{/* The name of all objects, short enough for the suffixes of jobs. */}}
{{- define "pixelmap.name" -}}
{{- $name := contains .Chart.Name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name .Chart.Name) -}}
{{- $name | trunc 40 | trimSuffix "-" -}}
{{- end }}

{{/* The labels by which a Service finds its pods. */}}
{{- define "pixelmap.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "pixelmap.labels" -}}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{ include "pixelmap.selector" . }}
{{- end }}

{{/* The claim of the map. */}}
{{- define "pixelmap.mapClaim" -}}
{{- .Values.map.claim | default (printf "%s-map" (include "pixelmap.name" .)) -}}
{{- end }}

{{/* The output of the pods that draw. */}}
{{- define "pixelmap.output" -}}
{{- .Values.map.bucket | default "/map" -}}
{{- end }}

{{/* Not empty if a pod shows the map. */}}
{{- define "pixelmap.isShown" -}}
{{- if .Values.map.bucket }}
{{- if eq .Values.draw.mode "live" }}{{ fail "draw.mode live needs a volume for the map, not a bucket" }}{{ end }}
{{- else if or .Values.serve.enabled (eq .Values.draw.mode "live") -}}
true
{{- end }}
{{- end }}

{{/* The world in a pod. */}}
{{- define "pixelmap.world" -}}
{{- printf "/data/%s" .Values.world.path | trimSuffix "/" -}}
{{- end }}

{{/* Rules for failed pods: another attempt after failed (1), wrong usage (2) or gaps (3) would end in the same way. A pod
that had to leave its node continues on another one. */}}
{{- define "pixelmap.podFailurePolicy" -}}
rules:
  - action: FailJob
    onExitCodes:
      operator: In
      values: [1, 2, 3]
  - action: Ignore
    onPodConditions:
      - { type: DisruptionTarget, status: "True" }
{{- end }}

{{/* A pod: its labels and its specification.
  root       the chart
  component  server or drawing
  args       of pixelmap
  options    the variables of options
  resources  of the container
  draws      whether the pod writes the map, and has the files and volumes for drawing
  world      whether the pod reads the world */}}
{{- define "pixelmap.pod" -}}
{{- $values := .root.Values -}}
{{- $files := and .draws $values.files -}}
metadata:
  labels:
    {{- include "pixelmap.selector" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
  {{- if $files }}
  annotations:
    # A change of the files starts the pod again.
    checksum/files: {{ toJson $values.files | sha256sum }}
  {{- end }}
spec:
  {{- if ne .component "server" }}
  restartPolicy: Never
  {{- end }}
  automountServiceAccountToken: false
  # Otherwise a Service with the name pixelmap would set variables that look like options.
  enableServiceLinks: false
  securityContext:
    runAsNonRoot: true
    runAsUser: {{ $values.user }}
    runAsGroup: {{ $values.user }}
    fsGroup: {{ $values.user }}
    # Changes the owner of the files only once, because a map has many.
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile: { type: RuntimeDefault }
  {{- with $values.imagePullSecrets }}
  imagePullSecrets: {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: pixelmap
      image: {{ printf "%s:%s" $values.image.repository ($values.image.tag | default (printf "v%s" .root.Chart.AppVersion)) | quote }}
      imagePullPolicy: {{ $values.image.pullPolicy }}
      args: {{ toJson .args }}
      {{- with .options }}
      env:
        {{- range $name, $value := . }}
        - { name: {{ $name }}, value: {{ $value | quote }} }
        {{- end }}
      {{- end }}
      {{- if and .draws $values.secret }}
      envFrom:
        - secretRef: { name: {{ $values.secret }} }
      {{- end }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: { drop: [ALL] }
      {{- if eq .component "server" }}
      ports:
        - { name: http, containerPort: 8080 }
      readinessProbe:
        httpGet: { path: {{ include "pixelmap.page" .root }}, port: http }
        periodSeconds: 5
      livenessProbe:
        httpGet: { path: {{ include "pixelmap.page" .root }}, port: http }
        periodSeconds: 30
        timeoutSeconds: 10
      {{- end }}
      resources: {{- toYaml .resources | nindent 8 }}
      volumeMounts:
        - { name: temporary, mountPath: /tmp }
        {{- if not $values.map.bucket }}
        - { name: map, mountPath: /map, readOnly: {{ not .draws }} }
        {{- end }}
        {{- if .world }}
        - { name: world, mountPath: /data, readOnly: true }
        {{- end }}
        {{- if $files }}
        - { name: files, mountPath: /etc/pixelmap, readOnly: true }
        {{- end }}
        {{- if .draws }}
        {{- with $values.volumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
        {{- end }}
  volumes:
    - name: temporary
      emptyDir: {}
    {{- if not $values.map.bucket }}
    - name: map
      # The mount is read-only where nothing is drawn, and not the claim. A node that mounts a claim read-only first gives
      # its files no owner, so the pods that draw on that node could not write.
      persistentVolumeClaim: { claimName: {{ include "pixelmap.mapClaim" .root }} }
    {{- end }}
    {{- if .world }}
    - name: world
      # Otherwise the node would change the group of the game's files.
      persistentVolumeClaim: { claimName: {{ $values.world.claim }}, readOnly: true }
    {{- end }}
    {{- if $files }}
    - name: files
      configMap: { name: {{ include "pixelmap.name" .root }} }
    {{- end }}
    {{- if .draws }}
    {{- with $values.volumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
    {{- end }}
  {{- with $values.nodeSelector }}
  nodeSelector: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.tolerations }}
  tolerations: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.affinity }}
  affinity: {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}

{{/* The path of the page. */}}
{{- define "pixelmap.page" -}}
{{- printf "%s/" (trimSuffix "/" .Values.serve.basePath) -}}
{{- end }}
